export { SuggestPage } from "./SuggestPage";
