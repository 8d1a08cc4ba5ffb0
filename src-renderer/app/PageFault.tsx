import { Component, type ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { ErrorNotice } from '../ui/ErrorNotice.tsx'
import { Page } from '../ui/Page.tsx'

/** `path` is the address: another one is another chance. */
export type PageFaultProps = { readonly path: string; readonly children: ReactNode }

type PageFaultState = { readonly error: Error | undefined }

/** Keeps the frame when a page fails: the way to other pages stays open. */
export class PageFault extends Component<PageFaultProps, PageFaultState> {
  override state: PageFaultState = { error: undefined }

  static getDerivedStateFromError(error: unknown): PageFaultState {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override componentDidUpdate(before: PageFaultProps) {
    if (before.path !== this.props.path && this.state.error !== undefined) this.setState({ error: undefined })
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    const reload = <Button onClick={() => location.reload()}>Reload</Button>
    return (
      <Page crumbs={[{ name: 'This page failed' }]}>
        <ErrorNotice
          error={`The page could not be drawn: ${error.message}. Reload it; if that does not help, its address and this text tell us why.`}
          action={reload}
        />
      </Page>
    )
  }
}
