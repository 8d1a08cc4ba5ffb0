import { Dialog } from 'radix-ui'
import { Button } from '../../../ui/Button.tsx'
import { ProseEditor } from '../../../ui/editor/ProseEditor.tsx'
import { changeWeight } from './prompt-weight.ts'

/** A text that is opened in large. */
export type LargeTextProps = {
  readonly name: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly onClose: () => void
}

/** A text over the page, with room for paragraphs. Escape closes it; what was typed stays. */
export function LargeText({ name, value, onChange, onClose }: LargeTextProps) {
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Content
          aria-describedby={undefined}
          className="enters fixed top-[10vh] left-1/2 z-50 flex h-[70vh] w-[calc(100%-2rem)] max-w-3xl -translate-x-1/2 flex-col gap-3 rounded-control border border-line bg-surface-1 p-4 shadow-float"
        >
          <Dialog.Title className="text-section font-semibold first-letter:uppercase">{name}</Dialog.Title>
          <ProseEditor label={name} value={value} onChange={onChange} weigh={changeWeight} />
          <div className="flex items-center justify-between gap-4">
            <p className="text-small text-ink-2">
              Ctrl and the arrows up and down change the weight of what is selected.
            </p>
            <Dialog.Close asChild>
              <Button kind="main">Done</Button>
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
