import { useApp } from '../store/app-context.ts'
import { Button } from './Button.tsx'

/** What is chosen, and where to begin. */
export type ChooseFolderProps = {
  /** Of the system's dialog, like "Choose the folder of an app". */
  readonly title: string
  /** Folder that it begins in; empty: where the system likes to. */
  readonly from: string
  readonly onPath: (path: string) => void
}

/** Beside a field for a folder: opens the system's own dialog. In a browser, which has none for paths, nothing is there. */
export function ChooseFolder({ title, from, onPath }: ChooseFolderProps) {
  const { platform, store } = useApp()
  const { desktop } = platform
  if (desktop === undefined) return null
  const choose = async () => {
    try {
      const path = await desktop.pickFolder(from === '' ? { title } : { title, from })
      if (path !== undefined) onPath(path)
    } catch (error) {
      store.getState().tell({ kind: 'error', text: `No folder could be chosen: ${(error as Error).message}` })
    }
  }
  return <Button onClick={() => void choose()}>Choose…</Button>
}
