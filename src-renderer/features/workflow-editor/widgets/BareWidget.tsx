import clsx from 'clsx'
import { type FunctionComponent, type ReactNode, useId, useState } from 'react'
import { checkValue } from '../../../../src-main/features/workflows/rules/check-value.ts'
import type { InputType } from '../../../../src-main/features/workflows/rules/input-type.ts'
import type { WidgetView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { guessInput } from '../../../../src-main/features/workflows/rules/own-inputs.ts'
import { asText } from '../../../../src-main/lib/json/plain.ts'
import type { JsonValue } from '../../../../src-main/lib/json/value.ts'
import { asSentence } from '../../../ui/format.ts'
import { ChoiceField, ChoiceWidget } from './ChoiceField.tsx'
import { offStep, valueText } from './exact-number.ts'
import { FileWidget } from './FileWidget.tsx'
import { LinesWidget } from './LinesWidget.tsx'
import { NumberWidget } from './NumberWidget.tsx'
import { ColourWidget, JsonWidget, LineInput, SwitchWidget } from './PlainWidgets.tsx'
import { asItIs, useTyping } from './use-typing.ts'
import {
  type ControlProps,
  frameOf,
  isListUnknown,
  type WidgetKind,
  type WidgetSize,
  widgetHelp,
  widgetKind,
  widgetLabel,
} from './widget-kind.ts'

const MODES: Readonly<Record<string, string>> = {
  fixed: 'stays as it is',
  increment: 'one step up',
  decrement: 'one step down',
  randomize: 'a new random one',
  'increment-wrap': 'the next, then the first',
}

function ControlWidget({ id, name, size, widget, set }: ControlProps) {
  const value = asText(widget.value) ?? 'fixed'
  const known = Object.keys(MODES).filter((mode) => mode !== 'increment-wrap' || ofChoice(widget))
  const modes = known.includes(value) ? known : [...known, value]
  return (
    <ChoiceField
      id={id}
      name={name}
      label="after each run"
      size={size}
      word={value}
      choices={() => modes.map((mode) => ({ value: mode, word: mode, detail: MODES[mode] }))}
      isChosen={(mode) => mode === value}
      onChoose={set}
    />
  )
}

const ofChoice = ({ input }: WidgetView) => input?.type === 'COMBO'

export type BareWidgetProps = Pick<ControlProps, 'set' | 'write' | 'end'> & {
  readonly widget: WidgetView
  readonly of: string
  readonly size?: WidgetSize
  readonly instead?: ReactNode
  readonly aside?: ReactNode
  readonly tools?: ReactNode
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
  'The endpoint does not list the values. Type the name of one that its worker has, like model.safetensors.'
const TALL: ReadonlySet<WidgetKind> = new Set(['lines', 'file', 'json'])

export function BareWidget(props: BareWidgetProps) {
  const { widget, of, size = 'panel', instead, aside, tools, note, set, write, end } = props
  const id = useId()
  const label = widgetLabel(widget)
  // Guessed once, so that a field does not change its kind while somebody types.
  const [guessed] = useState(() => guessInput(widget.name, widget.value))
  const input = widget.input ?? guessed
  const kind = widgetKind(widget, input)
  const isInstead = instead !== undefined && instead !== false
  const isTall = TALL.has(kind) && !isInstead
  const Control = CONTROLS[kind]
  const problem = widget.kind === 'input' && !isInstead ? widgetProblem(widget.value, input) : undefined
  const problemId = problem === undefined ? undefined : `${id}-fault`
  const help = widgetHelp(widget)
  const hint = !isInstead && isListUnknown(input) ? LIST_UNKNOWN : undefined
  const isOnNode = size === 'node'
  return (
    <div
      title={
        isOnNode ? [problem?.text, hint, help].filter((text) => text !== undefined).join(' ') || undefined : undefined
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
              problemId={problemId}
              isWrong={problem?.isError ?? false}
              set={set}
              write={write}
              end={end}
            />
          )}
        </div>
        {tools}
      </div>
      {problem !== undefined && (
        // Rows of a node have a fixed height: the frame is red, and the text is in the tooltip.
        <p
          id={problemId}
          className={clsx('text-small', isOnNode && 'sr-only', problem.isError ? 'text-failed-ink' : 'text-ink-2')}
        >
          {problem.text}
        </p>
      )}
      {!isOnNode && hint !== undefined && <p className="text-small text-ink-2">{hint}</p>}
      {note !== undefined && <p className="text-small text-ink-2">{note}</p>}
      {!isOnNode && help !== undefined && <p className="text-small text-ink-2">{help}</p>}
    </div>
  )
}

/** A problem of a widget's value, shown at the widget. Warnings do not prevent a run. */
type WidgetProblem = { readonly text: string; readonly isError: boolean }

function widgetProblem(value: JsonValue | undefined, input: InputType): WidgetProblem | undefined {
  if (value === undefined) return undefined
  const problem = checkValue(input, value)
  if (problem !== undefined) return { text: asSentence(problem.says), isError: true }
  const nearest = offStep(value, input)
  if (nearest === undefined) return undefined
  return { text: `The step size allows ${nearest.join(' or ')}.`, isError: false }
}

function TextWidget({ id, name, label, input, size, widget, problemId, isWrong, write, end }: ControlProps) {
  const typing = useTyping({ value: widget.value, show: valueText, read: asItIs, write, end })
  return (
    <div className={frameOf(size)}>
      {size === 'node' && (
        <label htmlFor={id} className="max-w-1/2 shrink-0 truncate text-ink-2">
          {label}
        </label>
      )}
      <LineInput
        id={id}
        name={name}
        isWrong={isWrong}
        problemId={problemId}
        typing={typing}
        placeholder={isListUnknown(input) ? 'type a name' : asText(input.options.get('placeholder'))}
        className={
          size === 'node'
            ? 'nodrag w-full min-w-0 bg-transparent text-right outline-none'
            : 'w-full min-w-0 bg-transparent outline-none'
        }
      />
    </div>
  )
}
