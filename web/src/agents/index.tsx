export { AgentsPage } from "./AgentsPage";
