import { everyPage } from "./pages";

everyPage("light");
