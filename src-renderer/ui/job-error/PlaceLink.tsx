import { editorLink } from '../../../src-main/contract/editors.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Tooltip } from '../Tooltip.tsx'

/** A line of a file. */
export type PlaceLinkProps = {
  /** As the worker names it. */
  readonly file: string
  readonly line: number
  /** The same file on this machine; undefined: it is not here. */
  readonly here: string | undefined
}

const LOOK = 'shrink-0 font-mono font-medium underline decoration-dotted underline-offset-2 hover:decoration-solid'

/** Opens a line of a file in the editor that the settings name; else copies it. */
export function PlaceLink({ file, line, here }: PlaceLinkProps) {
  const { platform, store } = useApp()
  const editor = useAppState((state) => state.editor)
  const place = `${here ?? file}:${line}`
  const name = `${file.split(/[\\/]/).at(-1)}:${line}`
  const link = here === undefined ? undefined : editorLink(editor, here, line)
  if (link !== undefined)
    return (
      <Tooltip text={`Open ${place}`}>
        <a href={link} aria-label={`Open ${name}`} className={LOOK}>
          {name}
        </a>
      </Tooltip>
    )
  const { tell } = store.getState()
  const copied =
    here === undefined
      ? `Copied ${place}. The file is not on this machine.`
      : `Copied ${place}. Choose an editor in Settings to open it there.`
  const copy = () =>
    platform.copy(place).then(
      () => tell({ kind: 'done', text: copied }),
      () => tell({ kind: 'error', text: `The browser did not allow to copy ${place}. Select it and copy it by hand.` }),
    )
  return (
    <Tooltip text={`Copy ${place}`}>
      <button type="button" aria-label={`Copy ${name}`} onClick={() => void copy()} className={LOOK}>
        {name}
      </button>
    </Tooltip>
  )
}
