import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import type { EditorActions } from '../keys/create-actions.ts'
import { shortcutOf, shownKeys } from '../keys/shortcuts.ts'
import type { ListProps } from '../palette/NodeLists.tsx'
import { type MenuEntry, useMenuEntries } from './use-menu-entries.ts'

type CanvasMenuProps = ListProps<'menu'> & { readonly actions: EditorActions }

export function CanvasMenu({ overlay, flow, actions, onClose }: CanvasMenuProps) {
  const groups = useMenuEntries(overlay.target, flow)
  const { x, y } = overlay.screen
  return (
    <DropdownMenu.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span aria-hidden className="pointer-events-none fixed size-0" style={{ left: x, top: y }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={2}
          collisionPadding={8}
          onCloseAutoFocus={(event) => event.preventDefault()}
          className="enters z-40 max-h-[80vh] min-w-56 overflow-y-auto rounded-control border border-line bg-surface-1 p-1 shadow-float"
        >
          {groups.map((entries, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the groups of a menu do not move
            <DropdownMenu.Group key={at}>
              {at > 0 && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
              {entries.map((entry) => (
                <Entry key={typeof entry === 'string' ? entry : entry.name} entry={entry} actions={actions} />
              ))}
            </DropdownMenu.Group>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const ITEM = 'flex h-7 items-center gap-3 rounded-control px-2 outline-none data-highlighted:bg-surface-2'

function Entry({ entry, actions }: { readonly entry: MenuEntry; readonly actions: EditorActions }) {
  if (typeof entry !== 'string' && 'swatches' in entry) return <Swatches {...entry} />
  const isAction = typeof entry === 'string'
  const shortcut = isAction ? shortcutOf(entry) : undefined
  const [keys] = shortcut?.keys ?? []
  return (
    <DropdownMenu.Item className={ITEM} onSelect={isAction ? () => actions[entry]() : entry.run}>
      {isAction ? (shortcut?.name ?? entry) : entry.name}
      {keys !== undefined && <span className="ml-auto text-small text-ink-2">{shownKeys(keys)}</span>}
    </DropdownMenu.Item>
  )
}

function Swatches({ name, swatches }: Extract<MenuEntry, { readonly swatches: unknown }>) {
  return (
    <div className="flex items-center gap-1 px-2 py-1">
      <span className="mr-1">{name}</span>
      {swatches.map(({ label, colour, pick }) => (
        <DropdownMenu.Item
          key={label}
          aria-label={label}
          title={label}
          onSelect={pick}
          style={{ background: colour ?? 'var(--surface-1)' }}
          className="size-5 rounded-full border border-line-strong outline-offset-1 data-highlighted:outline-2 data-highlighted:outline-accent"
        />
      ))}
    </div>
  )
}
