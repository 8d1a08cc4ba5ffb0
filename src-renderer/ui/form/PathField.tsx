import { FolderOpen } from 'lucide-react'
import { useId, useState } from 'react'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../Button.tsx'
import { type ControlIds, type ControlProps, FieldNote, useMissingValue } from './Field.tsx'
import { PathControl, type PathControlProps } from './PathControl.tsx'

export type PathFieldProps = Pick<
  PathControlProps,
  'wants' | 'value' | 'onChange' | 'isBeginning' | 'required' | 'placeholder' | 'height'
> & { readonly label: string; readonly hint: string }

export function PathField({ label, hint, required = true, ...field }: PathFieldProps) {
  const id = useId()
  const { missing, handlers } = useMissingValue(label, field.value)
  const isProblem = missing !== undefined
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <PathControl
        {...field}
        {...handlers}
        id={id}
        aria-describedby={`${id}-hint`}
        aria-invalid={isProblem}
        required={required}
      >
        <FieldNote id={`${id}-hint`} text={missing ?? hint} isProblem={isProblem} />
      </PathControl>
    </div>
  )
}

type ChoosePathProps = {
  readonly wants: 'folder' | 'handler'
  readonly title: string
  /** Folder or file to start at; empty: the system decides. */
  readonly from: string
  readonly onPath: (path: string) => void
}

/** Shows nothing in browsers, which have no system dialog for paths. */
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

type BrowsedPathProps = Required<Pick<ControlProps<string>, 'value' | 'onChange' | 'disabled'>> &
  ControlIds & {
    readonly wants: 'folder' | 'handler'
    readonly title: string
  }

/** Folders are listed on demand, so that they take no space among other settings. */
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
