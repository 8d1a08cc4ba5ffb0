import type { InputType } from '../../../../src-main/domain/workflow/input-type.ts'
import type { JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import type { WidgetView } from '../../../../src-main/domain/workflow/view/node-view.ts'

/** Where widgets stand: on the node, in the height of a row of the field's editors, or in the inspector, with room. */
export type WidgetSize = 'node' | 'panel'

/** What each control of a widget works with. */
export type ControlProps = {
  readonly id: string
  /** For readers, like `seed of KSampler`. */
  readonly name: string
  readonly label: string
  readonly widget: WidgetView
  /** What its class says of it, or what its value lets guess. */
  readonly input: InputType
  readonly size: WidgetSize
  /** Whether the value is one that its class does not take. */
  readonly isWrong: boolean
  /** Id of the element that says what is wrong, or odd; undefined where nothing is. */
  readonly faultId: string | undefined
  /** Sets the value, as a step of undo. */
  readonly set: (value: JsonValue) => void
  /** Sets it while somebody types or drags: one step until `end`. */
  readonly write: (value: JsonValue) => void
  readonly end: () => void
}

// On a node its name and its value are in one row.
const ON_NODE =
  'flex h-5 min-w-0 items-center gap-1 rounded-control border border-line bg-surface-2 px-1.5 text-small focus-within:border-accent has-aria-invalid:border-failed'
const IN_PANEL =
  'flex h-7 min-w-0 items-center gap-1 rounded-control border border-line-strong bg-surface-1 px-2 focus-within:border-accent has-aria-invalid:border-failed'

/** The frame of a control. */
export const frameOf = (size: WidgetSize): string => (size === 'node' ? ON_NODE : IN_PANEL)
