export { RunsPage } from "./RunsPage";
