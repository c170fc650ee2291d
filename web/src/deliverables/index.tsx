export { DeliverablesPage } from "./DeliverablesPage";
