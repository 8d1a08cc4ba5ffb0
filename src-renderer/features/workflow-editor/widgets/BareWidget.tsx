import clsx from 'clsx'
import { type FunctionComponent, type ReactNode, useId, useState } from 'react'
import type { WidgetView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { ChoiceWidget } from './ChoiceWidget.tsx'
import { ColourWidget } from './ColourWidget.tsx'
import { ControlWidget } from './ControlWidget.tsx'
import type { ControlProps, WidgetSize } from './control-props.ts'
import { FileWidget } from './FileWidget.tsx'
import { JsonWidget } from './JsonWidget.tsx'
import { LinesWidget } from './LinesWidget.tsx'
import { NumberWidget } from './NumberWidget.tsx'
import { SwitchWidget } from './SwitchWidget.tsx'
import { TextWidget } from './TextWidget.tsx'
import { widgetFault } from './widget-fault.ts'
import { guessInput, isListUnknown, type WidgetKind, widgetHelp, widgetKind, widgetLabel } from './widget-kind.ts'

/** A widget, and what happens to its value. */
export type BareWidgetProps = Pick<ControlProps, 'set' | 'write' | 'end'> & {
  readonly widget: WidgetView
  /** Whose it is, like the title of a node. */
  readonly of: string
  readonly size?: WidgetSize
  /** Stands in the place of the control, where the value comes from elsewhere. */
  readonly instead?: ReactNode
  /** Beside the name, in the inspector. */
  readonly aside?: ReactNode
  /** Beside the control. */
  readonly tools?: ReactNode
  /** Below it. */
  readonly note?: string | undefined
}

const CONTROLS: Readonly<Record<WidgetKind, FunctionComponent<ControlProps>>> = {
  number: NumberWidget,
  text: TextWidget,
  lines: LinesWidget,
  choice: ChoiceWidget,
  file: FileWidget,
  switch: SwitchWidget,
  colour: ColourWidget,
  control: ControlWidget,
  json: JsonWidget,
}
const LIST_UNKNOWN =
  'The endpoint does not say which values this list has. Type the name of one that its worker has, like model.safetensors.'
const TALL: ReadonlySet<WidgetKind> = new Set(['lines', 'file', 'json'])

/** The control of a widget with its name, what is wrong with its value, and in the inspector what its class says. */
export function BareWidget(props: BareWidgetProps) {
  const { widget, of, size = 'panel', instead, aside, tools, note, set, write, end } = props
  const id = useId()
  const label = widgetLabel(widget)
  // Guessed once: a field that somebody types into does not turn into another.
  const [guessed] = useState(() => guessInput(widget.name, widget.value))
  const input = widget.input ?? guessed
  const kind = widgetKind(widget, input)
  const isInstead = instead !== undefined && instead !== false
  const isTall = TALL.has(kind) && !isInstead
  const Control = CONTROLS[kind]
  const fault = widget.kind === 'input' && !isInstead ? widgetFault(widget.value, input) : undefined
  const faultId = fault === undefined ? undefined : `${id}-fault`
  const help = widgetHelp(widget)
  const hint = !isInstead && isListUnknown(input) ? LIST_UNKNOWN : undefined
  const isOnNode = size === 'node'
  return (
    <div
      title={
        isOnNode ? [fault?.text, hint, help].filter((text) => text !== undefined).join(' ') || undefined : undefined
      }
      className={clsx('flex min-w-0 flex-col', isOnNode ? isTall && 'min-h-0 flex-1' : 'gap-1')}
    >
      {!isOnNode && (
        <div className="flex min-h-6 items-center gap-1">
          <label htmlFor={id} className="min-w-0 flex-1 truncate font-medium">
            {label}
          </label>
          {aside}
        </div>
      )}
      <div className={clsx('flex min-w-0 gap-1', isTall ? 'min-h-0 flex-1 items-stretch' : 'items-center')}>
        <div className={clsx('min-w-0 flex-1', isTall && 'flex min-h-0 flex-col')}>
          {isInstead ? (
            instead
          ) : (
            <Control
              id={id}
              name={`${label} of ${of}`}
              label={label}
              widget={widget}
              input={input}
              size={size}
              faultId={faultId}
              isWrong={fault?.isError ?? false}
              set={set}
              write={write}
              end={end}
            />
          )}
        </div>
        {tools}
      </div>
      {fault !== undefined && (
        // A row of a node has the height that files give it: there the frame is red, and the words are on hover.
        <p
          id={faultId}
          className={clsx('text-small', isOnNode && 'sr-only', fault.isError ? 'text-failed-ink' : 'text-ink-2')}
        >
          {fault.text}
        </p>
      )}
      {!isOnNode && hint !== undefined && <p className="text-small text-ink-2">{hint}</p>}
      {note !== undefined && <p className="text-small text-ink-2">{note}</p>}
      {!isOnNode && help !== undefined && <p className="text-small text-ink-2">{help}</p>}
    </div>
  )
}
