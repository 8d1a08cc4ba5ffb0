import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import clsx from 'clsx'
import { Ellipsis } from 'lucide-react'
import { type ComponentProps, type ReactElement, type ReactNode, useRef } from 'react'
import { IconButton } from './Button.tsx'

export type MenuItem = {
  readonly label: string
  readonly detail?: string
  readonly icon?: ReactNode
  readonly onSelect: () => void
  /**
   * Its target takes the focus, so it opens after the menu has closed, which would otherwise return the focus to its
   * button.
   */
  readonly takesFocus?: boolean
  readonly danger?: boolean
  readonly disabled?: boolean
}

export type MenuProps = {
  readonly groups: readonly (readonly MenuItem[])[]
  readonly children: ReactElement
  readonly align?: 'start' | 'end'
}

export function Menu({ groups, children, align = 'end' }: MenuProps) {
  const last = useRef<() => void>(undefined)
  const onClosed = (event: Event) => {
    const run = last.current
    if (run === undefined) return
    last.current = undefined
    event.preventDefault()
    run()
  }
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={onClosed}
          className="enters z-40 min-w-44 rounded-control border border-line bg-surface-1 p-1 shadow-float"
        >
          {groups.map((items, at) => (
            <DropdownMenu.Group key={items[0]?.label}>
              {at > 0 && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
              {items.map((item) => (
                <Item
                  key={item.label}
                  {...item}
                  onSelect={
                    item.takesFocus
                      ? () => {
                          last.current = item.onSelect
                        }
                      : item.onSelect
                  }
                />
              ))}
            </DropdownMenu.Group>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

type MoreMenuProps = Pick<MenuProps, 'groups'> & Omit<ComponentProps<typeof IconButton>, 'children'>

export function MoreMenu({ groups, ...button }: MoreMenuProps) {
  return (
    <Menu groups={groups}>
      <IconButton {...button}>
        <Ellipsis />
      </IconButton>
    </Menu>
  )
}

function Item({ label, detail, icon, onSelect, danger = false, disabled = false }: MenuItem) {
  return (
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      className={clsx(
        'flex items-start gap-2 rounded-control px-2 py-1 outline-none data-disabled:opacity-50 [&_svg]:mt-0.5 [&_svg]:size-4',
        danger ? 'text-failed-ink data-highlighted:bg-failed-soft' : 'data-highlighted:bg-surface-2',
      )}
    >
      {icon}
      <span className="flex flex-col">
        {label}
        {detail !== undefined && <span className="text-small text-ink-2">{detail}</span>}
      </span>
    </DropdownMenu.Item>
  )
}
