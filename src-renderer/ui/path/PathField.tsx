import { useId } from 'react'
import { PathControl, type PathControlProps } from './PathControl.tsx'

/** A path in a form of its own, with its name, and what is below it always shown. */
export type PathFieldProps = Pick<
  PathControlProps,
  'wants' | 'value' | 'onChange' | 'isBeginning' | 'required' | 'placeholder' | 'height'
> & { readonly label: string; readonly hint: string }

/** A path that is typed or walked to. */
export function PathField({ label, hint, required = true, ...field }: PathFieldProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <PathControl {...field} id={id} aria-describedby={`${id}-hint`} required={required}>
        <p id={`${id}-hint`} className="text-small text-ink-2">
          {hint}
        </p>
      </PathControl>
    </div>
  )
}
