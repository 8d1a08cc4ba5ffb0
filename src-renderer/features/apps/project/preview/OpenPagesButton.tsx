import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { useApp } from '../../../../store/app-context.ts'
import { Button } from '../../../../ui/Button.tsx'

/** Makes an address that signs a browser in; undefined: it told why not. */
export type OpenPagesButtonProps = { readonly makeLink: () => Promise<string | undefined> }

/** Opens the pages of the preview's own service in a window of their own. */
export function OpenPagesButton({ makeLink }: OpenPagesButtonProps) {
  const { platform } = useApp()
  const [asked, setAsked] = useState(false)
  const open = async () => {
    setAsked(true)
    const url = await makeLink()
    setAsked(false)
    if (url !== undefined) platform.openWindow(url)
  }
  return (
    <Button onClick={() => void open()} disabled={asked}>
      <ExternalLink aria-hidden /> Open its pages
    </Button>
  )
}
