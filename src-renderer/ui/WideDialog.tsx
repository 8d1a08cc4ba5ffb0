import * as Dialog from '@radix-ui/react-dialog'
import clsx from 'clsx'
import type { ComponentProps } from 'react'
import { useReturnFocus } from './use-return-focus.ts'

export type WideDialogProps = Omit<ComponentProps<typeof Dialog.Content>, 'title' | 'className'> & {
  readonly title: string
  readonly hidesTitle?: boolean
  /** `list`: as high as its content, near the top; `text`: for paragraphs; `window`: nearly the whole window. */
  readonly size: keyof typeof SIZES
  readonly onClose: () => void
}

const TITLE = 'shrink-0 truncate text-section font-semibold first-letter:uppercase'
const COLUMN = 'flex flex-col gap-3 p-4'
const MIDDLE = 'left-1/2 w-[calc(100%-2rem)] -translate-x-1/2'
const SIZES = {
  list: `${MIDDLE} top-[15vh] max-w-xl overflow-hidden`,
  text: `${MIDDLE} ${COLUMN} top-[10vh] h-[70vh] max-w-3xl`,
  window: `${COLUMN} inset-[4vh_2vw]`,
}

export function WideDialog({ title, hidesTitle = false, size, onClose, children, ...content }: WideDialogProps) {
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Content
          aria-describedby={undefined}
          {...useReturnFocus()}
          {...content}
          className={clsx(
            'enters fixed z-50 rounded-control border border-line bg-surface-1 shadow-float',
            SIZES[size],
          )}
        >
          <Dialog.Title className={hidesTitle ? 'sr-only' : TITLE}>{title}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
