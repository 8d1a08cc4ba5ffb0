import type { ControlProps } from './control-props.ts'
import type { Typing } from './use-typing.ts'

/** A line of a widget that is typed into. */
export type LineInputProps = Pick<ControlProps, 'id' | 'name' | 'isWrong' | 'faultId'> & {
  readonly typing: Typing
  readonly placeholder?: string | undefined
  readonly spellCheck?: boolean
  readonly className: string
}

/** The field of a line: Enter takes over what is typed, Escape drops it. */
export function LineInput({ name, isWrong, faultId, typing, ...look }: LineInputProps) {
  return (
    <input
      {...look}
      aria-label={name}
      aria-invalid={isWrong}
      aria-describedby={faultId}
      autoComplete="off"
      value={typing.text}
      onChange={({ target }) => typing.type(target.value)}
      onBlur={typing.leave}
      onKeyDown={({ key, ctrlKey, metaKey }) => {
        // What is done with the other keys, like running the graph, is to see what was typed.
        if (key === 'Enter' || ctrlKey || metaKey) typing.flush()
        if (key === 'Escape') typing.cancel()
      }}
    />
  )
}
