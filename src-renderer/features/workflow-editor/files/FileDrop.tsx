import { FileUp } from 'lucide-react'
import { useEffect, useState } from 'react'

export type FileDropProps = {
  readonly what: string
  /**
   * Called with dropped files.
   * @param at drop position, px of the window
   */
  readonly onFiles: (files: readonly File[], at: { readonly x: number; readonly y: number }) => void
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false

export function FileDrop({ what, onFiles }: FileDropProps) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const end = new AbortController()
    const { signal } = end
    addEventListener(
      'dragover',
      (event) => {
        if (!hasFiles(event)) return
        setOver(!event.defaultPrevented)
        event.preventDefault()
      },
      { signal },
    )
    addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), { signal })
    addEventListener(
      'drop',
      (event) => {
        setOver(false)
        if (!hasFiles(event) || event.defaultPrevented) return
        event.preventDefault()
        onFiles([...(event.dataTransfer?.files ?? [])], { x: event.clientX, y: event.clientY })
      },
      { signal },
    )
    return () => end.abort()
  }, [onFiles])
  if (!isOver) return null
  return (
    <div className="pointer-events-none fixed inset-0 z-40 flex items-center justify-center bg-veil">
      <p className="enters flex items-center gap-2 rounded-control border-2 border-dashed border-accent bg-surface-1 px-6 py-4 shadow-float">
        <FileUp aria-hidden className="size-5 text-accent" /> {what}
      </p>
    </div>
  )
}
