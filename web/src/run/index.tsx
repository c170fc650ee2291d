export { RunPage } from "./RunPage";
