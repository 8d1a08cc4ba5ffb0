import clsx from 'clsx'
import { Check, Copy } from 'lucide-react'
import { type ComponentPropsWithRef, type ReactNode, useState } from 'react'
import { useApp } from '../store/app-context.ts'
import { Tooltip } from './Tooltip.tsx'
import { useTell } from './use-tell.ts'

export type ButtonProps = ComponentPropsWithRef<'button'> & {
  readonly kind?: 'main' | 'plain' | 'quiet' | 'danger'
}

const KINDS = {
  main: 'bg-accent text-on-accent hover:bg-accent-strong font-medium',
  plain: 'border border-line-strong/60 bg-surface-1 hover:bg-surface-2',
  quiet: 'text-ink-2 hover:bg-surface-2 hover:text-ink',
  danger: 'border border-failed/60 bg-surface-1 text-failed-ink hover:bg-failed-soft font-medium',
} as const

export function Button({ kind = 'plain', className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={clsx(
        'inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-control px-2.5 whitespace-nowrap',
        'disabled:opacity-50 aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
        KINDS[kind],
        className,
      )}
    />
  )
}

type IconButtonProps = Omit<ButtonProps, 'kind' | 'aria-label'> & { readonly label: string; readonly icon?: ReactNode }

export function IconButton({ label, icon, children, className, type = 'button', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        {...rest}
        type={type}
        aria-label={label}
        className={clsx(
          'inline-flex size-7 shrink-0 items-center justify-center rounded-control text-ink-2',
          'hover:bg-surface-2 hover:text-ink disabled:opacity-50 aria-disabled:opacity-50 data-[state=open]:bg-surface-2 [&_svg]:size-4',
          className,
        )}
      >
        {icon ?? children}
      </button>
    </Tooltip>
  )
}

const SAID_FOR_MS = 1500

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const { platform } = useApp()
  const { failed } = useTell()
  const [copied, setCopied] = useState(false)
  const copy = () =>
    platform.copy(text).then(
      () => {
        setCopied(true)
        platform.after(SAID_FOR_MS, () => setCopied(false))
      },
      () => failed(new Error(`The browser did not allow copying the ${what}. Select it and copy it manually.`)),
    )
  return (
    <IconButton label={copied ? 'Copied' : `Copy ${what}`} onClick={copy}>
      {copied ? <Check className="text-completed" /> : <Copy />}
    </IconButton>
  )
}
