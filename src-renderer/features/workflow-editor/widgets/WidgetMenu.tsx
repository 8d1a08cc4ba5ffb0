import { DropdownMenu } from 'radix-ui'
import { createPortal } from 'react-dom'

/** An entry of the menu of a widget. */
export type WidgetMenuItem = { readonly label: string; readonly onSelect: () => void; readonly disabled?: boolean }

/** A menu that was asked for at a point of the window. */
export type WidgetMenuProps = {
  readonly name: string
  readonly x: number
  readonly y: number
  /** What the class says of the widget. */
  readonly help: string | undefined
  readonly items: readonly WidgetMenuItem[]
  readonly onClose: () => void
}

/** The menu of a widget; it is made when it is asked for, since a canvas has thousands of widgets. */
export function WidgetMenu({ name, x, y, help, items, onClose }: WidgetMenuProps) {
  return createPortal(
    <DropdownMenu.Root open onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span aria-hidden className="pointer-events-none fixed size-0" style={{ left: x, top: y }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          aria-label={name}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          // The trigger is a point, which cannot have the focus.
          onCloseAutoFocus={(event) => event.preventDefault()}
          className="enters z-50 max-w-72 min-w-44 rounded-control border border-line bg-surface-1 p-1 shadow-float"
        >
          <DropdownMenu.Label className="px-2 py-1 font-medium break-words">{name}</DropdownMenu.Label>
          {help !== undefined && <p className="px-2 pb-1.5 text-small break-words text-ink-2">{help}</p>}
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          {items.map(({ label, onSelect, disabled = false }) => (
            <DropdownMenu.Item
              key={label}
              disabled={disabled}
              onSelect={onSelect}
              className="rounded-control px-2 py-1 outline-none data-disabled:opacity-50 data-highlighted:bg-surface-2"
            >
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>,
    document.body,
  )
}
