import clsx from 'clsx'
import { AlertDialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'

/** A question before something that cannot be taken back; its button is named by the object. */
export type ConfirmProps = {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Like `Delete endpoint hello`: the title and the button. */
  readonly action: string
  /** What is lost by it. */
  readonly children: ReactNode
  readonly onConfirm: () => void
  /** What it would do in detail, below the words; it may be long. */
  readonly details?: ReactNode
  /** `main` for something that destroys nothing. */
  readonly kind?: 'danger' | 'main'
}

/** Asks. Escape and a click beside it are a no. */
export function Confirm({ open, onOpenChange, action, children, details, onConfirm, kind = 'danger' }: ConfirmProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <AlertDialog.Content
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
              <Button>{kind === 'danger' ? 'Keep it' : 'Cancel'}</Button>
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
