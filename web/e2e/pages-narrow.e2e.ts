import { everyPage } from "./pages";

everyPage("phone", "tablet");
