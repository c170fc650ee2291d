import { everyPage } from "./pages";

everyPage("dark");
