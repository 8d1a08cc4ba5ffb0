import { useApp } from '../../../store/app-context.ts'
import { fittingInputs, fittingOutputs } from '../canvas/fitting-slots.ts'
import { viewOf } from '../canvas/link-ends.ts'
import { makeLink } from '../canvas/make-link.ts'
import { slotColour } from '../canvas/slot-colour.ts'
import type { Flow } from '../canvas/use-flow.ts'
import { useCanvasStore } from '../store/canvas-context.ts'
import type { OpenOverlay } from '../store/canvas-store.ts'
import { useTab } from '../store/editor-context.ts'
import { PickList } from './PickList.tsx'

type ListProps<Kind extends OpenOverlay['kind']> = {
  readonly overlay: Extract<OpenOverlay, { kind: Kind }>
  readonly flow: Flow
  readonly onClose: () => void
}

/** Links by the keyboard, first half: which output. */
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

/** Second half, and where a link was let go on a node with several inputs: which input. */
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
