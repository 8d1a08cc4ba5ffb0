import { FolderOpen } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../Button.tsx'
import type { ControlIds } from '../form/control.ts'
import { ChoosePath } from './ChoosePath.tsx'
import { PathControl } from './PathControl.tsx'

/** A path among other settings. */
export type BrowsedPathProps = ControlIds & {
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
            <FolderOpen aria-hidden /> {browses ? 'Close the folders' : 'Look through folders'}
          </Button>
          <ChoosePath wants={wants} title={title} from={value} onPath={onChange} />
        </div>
      )}
    </PathControl>
  )
}
