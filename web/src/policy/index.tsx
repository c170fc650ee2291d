export { PolicyPage } from "./PolicyPage";
