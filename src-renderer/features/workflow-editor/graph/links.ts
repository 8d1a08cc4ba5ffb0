import type { LinkEnd } from '../../../../src-main/features/workflows/rules/document/document.ts'
import type { Pair } from '../../../../src-main/features/workflows/rules/document/fields.ts'
import type { InputEnd } from '../../../../src-main/features/workflows/rules/edit/connect.ts'
import type { Waypoint } from '../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import type { InputView, NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import type { Point } from '../store/canvas-store.ts'
import type { Flow } from './flow-graph.ts'
import { type CanvasNode, type FlowLink, isDocumentNode } from './flow-types.ts'

export function outputEnd(node: CanvasNode | undefined, handle: string | null | undefined): LinkEnd | undefined {
  const slot = /^o(\d+)$/.exec(handle ?? '')?.[1]
  return node === undefined || slot === undefined ? undefined : { node: node.id, slot: Number(slot) }
}

export function inputEnd(node: CanvasNode | undefined, handle: string | null | undefined): InputEnd | undefined {
  if (node === undefined || handle == null) return undefined
  if (handle.startsWith('+')) return { node: node.id, name: handle.slice(1) }
  const slot = /^i(\d+)$/.exec(handle)?.[1]
  if (slot === undefined) return undefined
  const at = Number(slot)
  const name =
    node.type === 'boundary' ? node.data.slots[at]?.name : viewOf(node)?.inputs.find((one) => one.at === at)?.name
  return name === undefined ? undefined : { node: node.id, name, slot: at }
}

export function widgetEnd(node: CanvasNode | undefined, name: string): InputEnd | undefined {
  const view = viewOf(node)
  const slot = view?.inputs.find((one) => one.name === name)
  if (view === undefined || slot !== undefined) return view && slot && endOfInput(view.id, slot)
  const widget = view.widgets.find((one) => one.name === name && one.kind === 'input')
  return widget?.input === undefined ? undefined : { node: view.id, name }
}

export function outputType(node: CanvasNode | undefined, slot: number): string {
  if (node?.type === 'boundary') return node.data.slots[slot]?.type ?? '*'
  return viewOf(node)?.outputs[slot]?.type ?? '*'
}

export function inputType(node: CanvasNode | undefined, { name, slot }: InputEnd): string {
  if (node?.type === 'boundary') return node.data.slots[slot ?? -1]?.type ?? '*'
  return viewOf(node)?.inputs.find((one) => one.name === name)?.type ?? '*'
}

export const viewOf = (node: CanvasNode | undefined): NodeView | undefined =>
  isDocumentNode(node) ? node.data.view : undefined

/**
 * Start and end of a link, px of the canvas.
 * @returns undefined if one end is not drawn
 */
export function endsOfLink({ source, sourceHandle, target, targetHandle }: FlowLink, byId: Flow['byId']) {
  const [from, to] = [pointOfHandle(byId.get(source), sourceHandle), pointOfHandle(byId.get(target), targetHandle)]
  return from && to && { from, to }
}

function pointOfHandle(node: CanvasNode | undefined, name: string | null | undefined): Point | undefined {
  const handle = node?.handles?.find(({ id }) => id === name)
  return node && handle && { x: node.position.x + handle.x, y: node.position.y + handle.y }
}

export const endOfInput = (node: string, { at, name }: InputView): InputEnd =>
  at === undefined ? { node, name } : { node, name, slot: at }

const LEAST_BEND = 30

export function linkPath(from: Point, to: Point, points: readonly Waypoint[]): string {
  const stops = [from, ...points.map(({ pos: [x, y] }) => ({ x, y })), to]
  const curves = stops.slice(1).map((stop, at) => curve(stops[at] ?? from, stop))
  return `M${from.x},${from.y}${curves.join('')}`
}

function curve(from: Point, to: Point): string {
  const bend = Math.max(LEAST_BEND, Math.min(Math.abs(to.x - from.x) / 2, 400))
  const near = Math.hypot(to.x - from.x, to.y - from.y) / 2
  const away = Math.min(bend, Math.max(near, 10))
  return `C${from.x + away},${from.y} ${to.x - away},${to.y} ${to.x},${to.y}`
}

export function segmentAt(point: Point, from: Point, to: Point, points: readonly Waypoint[]): number {
  const stops = [from, ...points.map(({ pos: [x, y] }) => ({ x, y })), to]
  const away = stops.slice(1).map((stop, at) => distanceToLine(point, stops[at] ?? from, stop))
  return away.indexOf(Math.min(...away))
}

export function distanceToLine(point: Point, from: Point, to: Point): number {
  const [width, height] = [to.x - from.x, to.y - from.y]
  const length = width * width + height * height
  const along = length === 0 ? 0 : ((point.x - from.x) * width + (point.y - from.y) * height) / length
  const at = Math.min(1, Math.max(0, along))
  return Math.hypot(point.x - (from.x + at * width), point.y - (from.y + at * height))
}

type PointOnLink = { readonly linkId: string; readonly pos: Pair; readonly before?: number }

export function pointOn(link: FlowLink, at: Point, { byId }: Pick<Flow, 'byId'>): PointOnLink {
  const point = { linkId: link.id, pos: [at.x, at.y] } as const
  const ends = endsOfLink(link, byId)
  return ends === undefined ? point : { ...point, before: segmentAt(at, ends.from, ends.to, link.data?.points ?? []) }
}
