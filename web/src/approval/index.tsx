export { ApprovalPage } from "./ApprovalPage";
