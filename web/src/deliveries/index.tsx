export { ChannelsPage } from "./ChannelsPage";
export { DeliveriesPage } from "./DeliveriesPage";
