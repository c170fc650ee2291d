import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { previewUrl } from "../api/deliverables";
import type { Deliverable } from "../api/types";
import { Badge, Time } from "../ui";
import { linkTo } from "../ui/readMarkdown";
import { deliverableStatus, deliverableType, format } from "../words";

interface Props {
  items: Deliverable[];
  onOpen: (id: string) => void;
}

function meta(item: Deliverable): string {
  const size = item.url ? (linkTo(item.url)?.host ?? "kept elsewhere") : format.bytes(item.size);
  const version = item.version > 1 ? `, version ${item.version}` : "";
  return `${deliverableType(item.type).label}, ${size}${version}`;
}

/** Deliverables as a list. */
export function ListItems({ items, onOpen }: Props) {
  return (
    <ul className="divide-y">
      {items.map((item) => {
        const Icon = item.url ? ExternalLink : deliverableType(item.type).icon;
        return (
          <li key={item.id}>
            <button
              type="button"
              onClick={() => onOpen(item.id)}
              className="flex min-h-14 w-full items-center gap-4 px-4 py-2 text-left -outline-offset-2 hover:bg-hover"
            >
              <Icon aria-hidden className="size-5 shrink-0 text-muted" />
              <span className="min-w-0 flex-1">
                <span dir="auto" className="block truncate font-medium max-sm:whitespace-normal" title={item.name}>
                  {item.name}
                </span>
                <span className="block truncate text-small text-muted max-sm:whitespace-normal">
                  {meta(item)} by {format.title(item.agent)}
                  {item.description && `: ${item.description}`}
                </span>
              </span>
              <Standing item={item} />
              <Time at={item.created_at} className="w-20 text-right text-small text-muted max-sm:hidden" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Deliverables as a gallery, with images. */
export function GalleryItems({ items, onOpen }: Props) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(200px,1fr))] gap-3 p-3 max-sm:grid-cols-2">
      {items.map((item) => (
        <li key={item.id}>
          <button
            type="button"
            onClick={() => onOpen(item.id)}
            className="flex h-full w-full flex-col overflow-hidden rounded-sm border text-left hover:border-border-strong hover:bg-hover"
          >
            <Thumbnail item={item} />
            <span className="block w-full flex-1 p-2.5">
              <span dir="auto" className="line-clamp-2 font-medium [overflow-wrap:anywhere]" title={item.name}>
                {item.name}
              </span>
              <span className="mt-0.5 block text-small text-muted [overflow-wrap:anywhere]">{meta(item)}</span>
              <span className="mt-1.5 block">
                <Standing item={item} />
              </span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Thumbnail({ item }: { item: Deliverable }) {
  const [broken, setBroken] = useState(false);
  const Icon = item.url ? ExternalLink : deliverableType(item.type).icon;
  return (
    <span className="flex h-24 w-full items-center justify-center border-b bg-sunken">
      {item.preview === "image" && !broken ? (
        <img
          src={previewUrl(item.id)}
          alt=""
          loading="lazy"
          onError={() => setBroken(true)}
          className="h-full w-full object-contain p-2"
        />
      ) : (
        <Icon aria-hidden className="size-7 text-muted" strokeWidth={1.5} />
      )}
    </span>
  );
}

function Standing({ item }: { item: Deliverable }) {
  const word = deliverableStatus(item.status);
  return (
    <Badge tone={word.tone} title={word.sentence}>
      {word.label}
    </Badge>
  );
}
