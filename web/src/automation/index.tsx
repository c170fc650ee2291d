export { AutomationPage } from "./AutomationPage";
