import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { type Direction, type Place, pathThrough } from "./layout";

export type RoutedFlow = Edge<{ bends: Place[]; direction: Direction }, "routed">;

/** An edge on the way that the layout found for it. */
export const RoutedEdge = memo(function RoutedEdge(props: EdgeProps<RoutedFlow>) {
  const { sourceX, sourceY, targetX, targetY, data } = props;
  const points = [{ x: sourceX, y: sourceY }, ...(data?.bends ?? []), { x: targetX, y: targetY }];
  return <BaseEdge id={props.id} path={pathThrough(points, data?.direction ?? "LR")} />;
});
