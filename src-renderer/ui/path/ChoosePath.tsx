import { useApp } from '../../store/app-context.ts'
import { Button } from '../Button.tsx'

/** What is chosen, and where to begin. */
export type ChoosePathProps = {
  readonly wants: 'folder' | 'handler'
  /** Of the system's dialog, like "Choose the folder of an app". */
  readonly title: string
  /** Folder or file that it begins at; empty: where the system likes to. */
  readonly from: string
  readonly onPath: (path: string) => void
}

/** Beside a field for a path: opens the system's own dialog. In a browser, which has none for paths, nothing is there. */
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
      store.getState().tell({ kind: 'error', text: `No ${what} could be chosen: ${(error as Error).message}` })
    }
  }
  return <Button onClick={() => void choose()}>Choose…</Button>
}
