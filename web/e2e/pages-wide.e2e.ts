import { everyPage } from "./pages";

everyPage("desktop");
