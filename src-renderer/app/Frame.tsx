import type { ReactNode } from 'react'
import { Notices } from '../ui/Notices.tsx'
import { ConnectionBanner } from './ConnectionBanner.tsx'
import { Overlays } from './Overlays.tsx'
import { Sidebar } from './Sidebar.tsx'
import { StatusBar } from './StatusBar.tsx'

/** The frame of the window: sidebar, page, status bar. */
export function Frame({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex h-full flex-col">
      <a
        href="#content"
        className="absolute top-1 left-1 z-50 -translate-y-12 rounded-control bg-accent px-2 py-1 text-on-accent focus:translate-y-0"
      >
        Skip to the content
      </a>
      <div className="flex min-h-0 flex-1">
        <Sidebar />
        <div className="relative flex min-w-0 flex-1 flex-col">
          {children}
          <ConnectionBanner />
        </div>
      </div>
      <StatusBar />
      <Notices />
      <Overlays />
    </div>
  )
}
