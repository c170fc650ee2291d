export { ServerPage } from "./ServerPage";
