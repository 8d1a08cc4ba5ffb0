import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'
import { type ComponentProps, createElement } from 'react'
import { Link } from 'wouter'

type LinkProps = { readonly to: string; readonly className?: string } & Pick<ComponentProps<'a'>, 'children' | 'title'>

const linkWith =
  (look: string) =>
  ({ className, ...link }: LinkProps) =>
    createElement(Link, { ...link, className: clsx(look, className) })

export const TextLink = linkWith('text-accent hover:underline')
export const NameLink = linkWith('font-medium hover:underline')
export const IdLink = linkWith('font-mono text-small hover:underline')

export function IconName({ icon: Icon, ...link }: LinkProps & { readonly icon: LucideIcon }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Icon aria-hidden className="size-4 shrink-0 text-ink-2" />
      <NameLink {...link} className="truncate" />
    </span>
  )
}
