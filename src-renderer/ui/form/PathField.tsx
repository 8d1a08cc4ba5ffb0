/** A path in a form: typed, walked to, or chosen in the dialog of the system. */
import { FolderOpen } from 'lucide-react'
import { useId, useState } from 'react'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../Button.tsx'
import type { ControlIds } from './Field.tsx'
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

/** What is chosen, and where to begin. */
type ChoosePathProps = {
  readonly wants: 'folder' | 'handler'
  /** Of the system's dialog, like "Choose the folder of an app". */
  readonly title: string
  /** Folder or file that it begins at; empty: where the system likes to. */
  readonly from: string
  readonly onPath: (path: string) => void
}

/**
 * Beside a field for a path: opens the system's own dialog. In a browser, which has none for paths, nothing is there.
 */
export function ChoosePath({ wants, title, from, onPath }: ChoosePathProps) {
  const { platform, store } = useApp()
  const { desktop } = platform
  if (desktop === undefined) return null
  const choose = async () => {
    try {
      const wish = from === '' ? { title } : { title, from }
      const path = await (wants === 'folder' ? desktop.pickFolder(wish) : desktop.pickFile(wish))
      if (path !== undefined) onPath(path)
    } catch (error) {
      const what = wants === 'folder' ? 'folder' : 'file'
      store.getState().notify({ kind: 'error', text: `No ${what} could be chosen: ${(error as Error).message}` })
    }
  }
  return <Button onClick={() => void choose()}>Choose…</Button>
}

/** A path among other settings. */
type BrowsedPathProps = ControlIds & {
  readonly wants: 'folder' | 'handler'
  /** Of the system's dialog. */
  readonly title: string
  readonly value: string
  readonly onChange: (path: string) => void
  readonly disabled: boolean
}

/** A path that is typed; folders are walked through on demand, so that they take no room among other settings. */
export function BrowsedPath({ title, value, onChange, ...field }: BrowsedPathProps) {
  const [browses, setBrowses] = useState(false)
  const { wants, disabled } = field
  return (
    <PathControl {...field} value={value} onChange={onChange} listed={browses && !disabled} height="h-64">
      {!disabled && (
        <div className="flex gap-2">
          <Button kind="quiet" aria-expanded={browses} onClick={() => setBrowses(!browses)}>
            <FolderOpen aria-hidden /> {browses ? 'Hide folders' : 'Browse folders'}
          </Button>
          <ChoosePath wants={wants} title={title} from={value} onPath={onChange} />
        </div>
      )}
    </PathControl>
  )
}
