import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { useApp } from '../store/app-context.ts'
import { IconButton } from './IconButton.tsx'

/** What is copied, and its name, like `id` or `curl command`. */
export type CopyButtonProps = { readonly text: string; readonly what: string }

const SAID_FOR_MS = 1500

/** Copies a text, and says that it did. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const { platform, store } = useApp()
  const [copied, setCopied] = useState(false)
  const copy = () =>
    platform.copy(text).then(
      () => {
        setCopied(true)
        platform.after(SAID_FOR_MS, () => setCopied(false))
      },
      () =>
        store.getState().tell({
          kind: 'error',
          text: `The browser did not allow to copy the ${what}. Select it and copy it by hand.`,
        }),
    )
  return (
    <IconButton label={copied ? 'Copied' : `Copy ${what}`} onClick={copy}>
      {copied ? <Check className="text-completed" /> : <Copy />}
    </IconButton>
  )
}
