import clsx from 'clsx'
import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { IconButton } from './IconButton.tsx'

/** A panel at the right edge, beside the page. */
export type SidePanelProps = {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  /** Wide is for what needs lines, like a log. */
  readonly width?: 'narrow' | 'wide'
  /** The content scrolls within itself. */
  readonly fills?: boolean
  readonly children: ReactNode
}

/** A panel over the right edge: the page behind stays in sight. Escape closes it. */
export function SidePanel({ open, onOpenChange, title, width = 'narrow', fills = false, children }: SidePanelProps) {
  const panel = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-30 bg-veil/40" />
        <Dialog.Content
          ref={panel}
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // What there is to fill in, or the panel, and not the button that closes it: its tooltip would take the Escape.
            const first = body.current?.querySelector<HTMLElement>('input, textarea, select') ?? panel.current
            event.preventDefault()
            first?.focus()
          }}
          onEscapeKeyDown={(event) => {
            // A terminal has its own use of Escape.
            if (event.target instanceof Element && event.target.closest('[data-takes-escape]')) event.preventDefault()
          }}
          className={clsx(
            'enters fixed inset-y-0 right-0 z-40 flex w-full flex-col border-l border-line bg-surface-1 shadow-float outline-none',
            width === 'wide' ? 'max-w-3xl' : 'max-w-md',
          )}
        >
          <div className="flex h-12 shrink-0 items-center justify-between border-b border-line px-4">
            <Dialog.Title className="text-section font-semibold">{title}</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton label="Close">
                <X />
              </IconButton>
            </Dialog.Close>
          </div>
          <div ref={body} className={clsx('min-h-0 flex-1 p-4', fills ? 'flex flex-col' : 'overflow-y-auto')}>
            {children}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
