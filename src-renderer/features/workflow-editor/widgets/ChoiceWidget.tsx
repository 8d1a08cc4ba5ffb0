import { takesOthers, takesSeveral } from '../../../../src-main/domain/workflow/input-type.ts'
import { isArray } from '../../../../src-main/domain/workflow/json/value.ts'
import { ChoiceField } from './ChoiceField.tsx'
import { choicesOf, choiceWord, isChosen, withChoice } from './choices.ts'
import type { ControlProps } from './control-props.ts'
import { takesFile } from './widget-kind.ts'

/** One of the values that its class names, or several. */
export function ChoiceWidget({ id, name, label, input, size, widget, faultId, isWrong, set }: ControlProps) {
  const { value } = widget
  const several = takesSeveral(input)
  return (
    <ChoiceField
      id={id}
      name={name}
      label={label}
      size={size}
      word={isArray(value) ? value.map(choiceWord).join(', ') : choiceWord(value)}
      isWrong={isWrong}
      faultId={faultId}
      choices={() => choicesOf(input)}
      isChosen={(choice) => isChosen(value, choice)}
      // A worker may have files that nobody here knows.
      takesOthers={takesOthers(input) || takesFile(input)}
      several={several}
      onChoose={(choice) => set(several ? withChoice(value, choice) : choice)}
    />
  )
}
