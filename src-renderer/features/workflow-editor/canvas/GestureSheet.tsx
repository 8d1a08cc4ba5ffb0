import { SidePanel } from '../../../ui/SidePanel.tsx'
import { GESTURES } from '../keys/shortcuts.ts'

/** What the pointer does together with keys; keys alone are in the sheet that `?` opens. */
export function GestureSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <SidePanel open onOpenChange={onClose} title="Hands and keys">
      <dl>
        {GESTURES.map(([what, how]) => (
          <div key={what} className="flex min-h-7 items-center justify-between gap-4">
            <dt>{what}</dt>
            <dd className="shrink-0 text-small text-ink-2">{how}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-ink-2">Press ? for all keys, and Ctrl K for every action.</p>
    </SidePanel>
  )
}
