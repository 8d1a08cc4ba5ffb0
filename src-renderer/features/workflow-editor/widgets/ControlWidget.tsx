import { asText } from '../../../../src-main/domain/workflow/json/value.ts'
import type { WidgetView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { ChoiceField } from './ChoiceField.tsx'
import type { ControlProps } from './control-props.ts'

/** What a control may say, in the words of the field, with what each does. */
const MODES: Readonly<Record<string, string>> = {
  fixed: 'stays as it is',
  increment: 'one step up',
  decrement: 'one step down',
  randomize: 'a new random one',
  'increment-wrap': 'the next, then the first',
}

/** How the value beside it changes from run to run. */
export function ControlWidget({ id, name, size, widget, set }: ControlProps) {
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
