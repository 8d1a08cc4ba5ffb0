import clsx from 'clsx'
import { type ComponentProps, createElement } from 'react'
import { Link } from 'wouter'

type LinkProps = { readonly to: string; readonly className?: string } & Pick<ComponentProps<'a'>, 'children' | 'title'>

const linkWith =
  (look: string) =>
  ({ className, ...link }: LinkProps) =>
    createElement(Link, { ...link, className: clsx(look, className) })

export const TextLink = linkWith('text-accent hover:underline')
/** The name of a thing, as in the first cell of its row. */
export const NameLink = linkWith('font-medium hover:underline')
export const IdLink = linkWith('font-mono text-small hover:underline')
