import type { AppStore } from '../store/app-store.ts'

/** Keeps the colours of the page as the user chose them; without a choice the system's, which the tokens follow. */
export function showTheme(store: AppStore, page: HTMLElement): void {
  const show = (theme: string) => {
    if (theme === 'system') page.removeAttribute('data-theme')
    else page.setAttribute('data-theme', theme)
  }
  show(store.getState().theme)
  store.subscribe(({ theme }) => show(theme))
}
