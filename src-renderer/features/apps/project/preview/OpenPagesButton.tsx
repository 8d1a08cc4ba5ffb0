import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../../ui/Button.tsx'

/** What opens them; settles when they are opened, or it told why not. */
export type OpenPagesButtonProps = { readonly openPages: () => Promise<void> }

/** Opens the pages of the preview's own service in a window of their own. */
export function OpenPagesButton({ openPages }: OpenPagesButtonProps) {
  const [asked, setAsked] = useState(false)
  const open = async () => {
    setAsked(true)
    await openPages()
    setAsked(false)
  }
  return (
    <Button onClick={() => void open()} disabled={asked}>
      <ExternalLink aria-hidden /> Open its pages
    </Button>
  )
}
