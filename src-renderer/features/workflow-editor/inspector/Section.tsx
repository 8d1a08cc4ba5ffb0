import type { ReactNode } from 'react'

/** A part of the inspector. */
export type SectionProps = { readonly title: string; readonly aside?: ReactNode; readonly children: ReactNode }

/** A part of the inspector with its title. */
export function Section({ title, aside, children }: SectionProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2 border-t border-line px-3 py-3 first:border-t-0">
      <div className="flex items-center gap-2">
        <h3 className="flex-1 font-semibold">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}
