import clsx from 'clsx'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { findNodes } from '../../../../src-main/features/workflows/rules/find-nodes.ts'
import { typesHere } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { payloadIdOf } from '../../../../src-main/features/workflows/rules/payload-ids.ts'
import { useApp } from '../../../store/app-context.ts'
import { slotColour } from '../graph/colours.ts'
import type { Flow } from '../graph/flow-graph.ts'
import { viewOf } from '../graph/links.ts'
import { fittingInputs, fittingOutputs, makeLink } from '../graph/make-link.ts'
import { type OpenOverlay, type Point, useCanvasStore } from '../store/canvas-store.ts'
import { useEditor, useTab } from '../store/editor-store.ts'
import {
  type Addable,
  addableSubgraphs,
  EDITOR_NODES,
  findNodeTypes,
  keyOf,
  nameOf,
  withSlot,
} from './addable-nodes.ts'
import { useAddNode } from './use-add-node.ts'
import { useBlueprints } from './use-blueprints.ts'

export type ListProps<Kind extends OpenOverlay['kind']> = {
  readonly overlay: Extract<OpenOverlay, { kind: Kind }>
  readonly flow: Flow
  readonly onClose: () => void
}

export function AddNodeList({ overlay, onClose }: Omit<ListProps<'add'>, 'flow'>) {
  const types = useEditor((state) => state.types)
  const document = useEditor((state) => state.document)
  const addNode = useAddNode()
  const { link } = overlay
  const blueprints = useBlueprints()
  const others =
    link === undefined || link.side === 'output' ? [...EDITOR_NODES, ...addableSubgraphs(document), ...blueprints] : []

  function find(typed: string): readonly PickItem<Addable>[] {
    const wish = link && ({ side: link.side === 'output' ? 'input' : 'output', type: link.type } as const)
    const fitting = withSlot([...typesHere(types).values()], wish)
    const found = findNodeTypes(fitting, typed).map((type) => toItem({ kind: 'class', type }))
    const terms = typed.toLowerCase()
    const more = others.filter(
      (one) => nameOf(one).toLowerCase().includes(terms) && (link === undefined || one.kind === 'reroute'),
    )
    return [...found, ...more.map(toItem)]
  }

  return (
    <PickList
      label={link === undefined ? 'Add a node' : `Add a node for ${link.type}`}
      at={overlay.screen}
      find={find}
      nothing={types.size === 0 ? 'The node classes are not known yet.' : 'No node matches.'}
      onPick={(what) => {
        addNode(what, overlay.at, { link, isByKey: overlay.isByKey })
        onClose()
      }}
      onClose={onClose}
    />
  )
}

const detailOf = (what: Addable): string =>
  what.kind === 'class'
    ? what.type.category
    : what.kind === 'subgraph' || what.kind === 'blueprint'
      ? what.kind
      : 'editor'

const toItem = (what: Addable): PickItem<Addable> => {
  return { key: keyOf(what), label: nameOf(what), detail: detailOf(what), value: what }
}

const MOST = 200

export function FindNodeList({ overlay, onClose }: Omit<ListProps<'find'>, 'flow'>) {
  const { editor } = useTab()
  const { document, types } = editor.getState()
  return (
    <PickList
      label="Find a node by title, class or value"
      at={overlay.screen}
      find={(text) =>
        findNodes(document, types, { text, most: MOST }).map((found) => {
          const key = payloadIdOf(document, found.path, found.id)
          return { key, label: found.title, detail: found.detail, value: found }
        })
      }
      nothing="No node matches in its title, class or values."
      onPick={({ path, id }) => {
        editor.getState().reveal(path, [id])
        onClose()
      }}
      onClose={onClose}
    />
  )
}

export function OutputList({ overlay, flow, onClose }: ListProps<'output'>) {
  const canvas = useCanvasStore()
  const node = flow.byId.get(overlay.node)
  const outputs = node === undefined ? [] : fittingOutputs(node, '*')
  return (
    <PickList
      label={`Link from which output of ${viewOf(node)?.title ?? 'the node'}?`}
      at={overlay.screen}
      nothing="It has no such output."
      find={(typed) =>
        outputs
          .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
          .map(({ name, type, end }) => {
            return { key: `${end.slot}`, label: name, detail: type, colour: slotColour(type), value: { end, type } }
          })
      }
      onPick={({ end, type }) => {
        const link = { side: 'output', from: end, type } as const
        canvas.getState().set({ overlay: { kind: 'input', screen: overlay.screen, link } })
      }}
      onClose={onClose}
    />
  )
}

export function InputList({ overlay, flow, onClose }: ListProps<'input'>) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const { store } = useApp()
  const { link } = overlay
  if (link.side === 'input') return null
  const nodes = overlay.node === undefined ? [...flow.byId.values()] : [flow.byId.get(overlay.node)]
  const inputs = nodes.flatMap((node) => {
    if (node === undefined || node.id === link.from.node) return []
    const title = viewOf(node)?.title ?? ''
    return fittingInputs(node, link.type).map((slot) => ({ ...slot, title }))
  })

  return (
    <PickList
      label={`To which input for ${link.type}?`}
      at={overlay.screen}
      nothing={`No input takes ${link.type}.`}
      find={(typed) =>
        inputs
          .filter(({ name, title }) => `${title} ${name}`.toLowerCase().includes(typed.toLowerCase()))
          .map(({ name, title, type, end, isLinked }) => {
            const detail = `${title}${isLinked ? ', replaces its link' : ''}`
            return { key: `${end.node} ${end.name}`, label: name, detail, colour: slotColour(type), value: end }
          })
      }
      onPick={(to) => {
        makeLink({ editor, canvas, app: store }, flow.address, { from: link.from, to })
        onClose()
      }}
      onClose={onClose}
    />
  )
}

type PickItem<Value> = {
  readonly key: string
  readonly label: string
  readonly detail?: string
  readonly colour?: string | undefined
  readonly value: Value
}

type PickListProps<Value> = {
  readonly label: string
  readonly at: Point
  readonly find: (typed: string) => readonly PickItem<Value>[]
  readonly nothing: string
  readonly onPick: (value: Value) => void
  readonly onClose: () => void
}

const SHOWN = 60
const WIDTH = 340
const HEIGHT = 380
const EDGE = 8

function PickList<Value>({ label, at, find, nothing, onPick, onClose }: PickListProps<Value>) {
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const name = useId()
  const items = find(typed)
  const shown = items.slice(0, SHOWN)

  useEffect(() => {
    const onPress = (event: Event) => {
      if (!(event.target instanceof Node) || box.current?.contains(event.target) !== true) onClose()
    }
    addEventListener('pointerdown', onPress, true)
    return () => removeEventListener('pointerdown', onPress, true)
  }, [onClose])

  useEffect(() => {
    box.current?.querySelector(`[data-at="${active}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && shown.length > 0) {
      event.preventDefault()
      setActive((active + step + shown.length) % shown.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const item = shown[active]
      if (item !== undefined) onPick(item.value)
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault()
      onClose()
    }
  }

  return (
    <div
      ref={box}
      data-add-node
      style={positionOf(at)}
      className="enters fixed z-40 flex flex-col overflow-hidden rounded-control border border-line bg-surface-1 shadow-float"
    >
      <input
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={`${name}-list`}
        aria-activedescendant={shown.length === 0 ? undefined : `${name}-${active}`}
        // biome-ignore lint/a11y/noAutofocus: it was asked for with a key or the pointer, and is typed into at once
        autoFocus
        value={typed}
        placeholder={label}
        onChange={(event) => {
          setTyped(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
        className="h-9 shrink-0 border-b border-line bg-transparent px-3 outline-none placeholder:text-ink-2"
      />
      <div id={`${name}-list`} role="listbox" aria-label={label} className="min-h-0 overflow-y-auto p-1">
        {shown.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and hears the keys
          <div
            key={item.key}
            id={`${name}-${index}`}
            role="option"
            aria-selected={index === active}
            data-at={index}
            onPointerMove={() => setActive(index)}
            onClick={() => onPick(item.value)}
            className={clsx(
              'flex min-h-7 cursor-pointer items-center gap-2 rounded-control px-2',
              index === active && 'bg-accent-soft',
            )}
          >
            {item.colour !== undefined && (
              <span aria-hidden className="size-2.5 shrink-0 rounded-full" style={{ background: item.colour }} />
            )}
            <span className="shrink-0">{item.label}</span>
            <span className="ml-auto truncate text-small text-ink-2">{item.detail}</span>
          </div>
        ))}
      </div>
      {shown.length === 0 && <p className="px-3 pb-3 text-ink-2">{nothing}</p>}
      {items.length > SHOWN && (
        <p className="border-t border-line px-3 py-1 text-small text-ink-2">
          {items.length - SHOWN} more: type to find them.
        </p>
      )}
    </div>
  )
}

function positionOf({ x, y }: Point) {
  const width = Math.min(WIDTH, innerWidth - 2 * EDGE)
  const maxHeight = Math.min(HEIGHT, innerHeight - 2 * EDGE)
  const left = Math.max(EDGE, Math.min(x, innerWidth - width - EDGE))
  const top = Math.max(EDGE, Math.min(y, innerHeight - maxHeight - EDGE))
  return { width, maxHeight, left, top }
}
