export { NotificationsPage } from "./NotificationsPage";
