import * as AlertDialog from '@radix-ui/react-alert-dialog'
import * as Dialog from '@radix-ui/react-dialog'
import clsx from 'clsx'
import { X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { Button, IconButton } from './Button.tsx'
import { useReturnFocus } from './use-return-focus.ts'

export type ConfirmProps = {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly action: string
  readonly children: ReactNode
  readonly onConfirm: () => void
  readonly details?: ReactNode
  readonly kind?: 'danger' | 'main'
}

export function Confirm({ open, onOpenChange, action, children, details, onConfirm, kind = 'danger' }: ConfirmProps) {
  const returnFocus = useReturnFocus()
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <AlertDialog.Content
          {...returnFocus}
          className={clsx(
            'enters fixed left-1/2 z-50 w-[calc(100%-2rem)] -translate-x-1/2 rounded-control border border-line bg-surface-1 p-4 shadow-float',
            details === undefined ? 'top-1/3 max-w-md' : 'top-[12vh] max-w-2xl',
          )}
        >
          <AlertDialog.Title className="text-section font-semibold break-words">{action}?</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="mt-2 text-ink-2">{children}</div>
          </AlertDialog.Description>
          {details !== undefined && (
            <div className="mt-3 max-h-[45vh] overflow-y-auto rounded-control border border-line">{details}</div>
          )}
          <div className="mt-4 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>Cancel</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button kind={kind} onClick={onConfirm}>
                {action}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

type SidePanelProps = {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly width?: 'narrow' | 'wide'
  readonly fills?: boolean
  readonly children: ReactNode
}

export function SidePanel({ open, onOpenChange, title, width = 'narrow', fills = false, children }: SidePanelProps) {
  const panel = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const returnFocus = useReturnFocus()
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-30 bg-veil/40" />
        <Dialog.Content
          ref={panel}
          aria-describedby={undefined}
          {...returnFocus}
          onOpenAutoFocus={(event) => {
            returnFocus.onOpenAutoFocus()
            // Focuses the first input or the panel, not the close button, whose tooltip would handle Escape.
            const first = body.current?.querySelector<HTMLElement>('input, textarea, select') ?? panel.current
            event.preventDefault()
            first?.focus()
          }}
          onEscapeKeyDown={(event) => {
            // Ignores Escape in a terminal, which has its own use for it.
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
          <div
            ref={body}
            // Keys scroll the focused element, and the panel may hold only text.
            tabIndex={fills ? undefined : 0}
            className={clsx('min-h-0 flex-1 p-4 -outline-offset-2', fills ? 'flex flex-col' : 'overflow-y-auto')}
          >
            {children}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
