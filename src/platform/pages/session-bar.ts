import type { DemoPerson } from '../application.js';
import type { OpenApiDocument } from '../contract/document.js';
import { type Operation, schemaName } from '../contract/openapi.js';
import { escapeHtml } from './escape-html.js';

/** Who may log in on a page, and by which addresses. */
export interface SessionBar {
  login: string;
  logout: string;
  /** Of a demo: one click logs in as one of them. Without any, there is a form. */
  people: readonly DemoPerson[];
}

/** Where a page asks who is logged in. */
export const SESSION_PATH = '/docs/session';

/**
 * Finds in a contract how a browser logs in, whatever the operations are called: by what takes an e-mail address, a password and
 * the wish for cookies; and out, by what takes the refresh cookie and answers with nothing.
 * @param all its operations; of several versions, the newest counts
 * @returns undefined for a contract that has no such pair
 */
export function sessionDoors(
  { components }: OpenApiDocument,
  all: readonly Operation[],
  refreshCookie: string,
): Pick<SessionBar, 'login' | 'logout'> | undefined {
  const takes = ({ operation }: Operation): string[] => {
    const { schema = {} } = operation.requestBody?.content['application/json'] ?? {};
    return Object.keys((components.schemas[schemaName(schema) ?? ''] ?? schema).properties ?? {});
  };
  const doors = all.filter(({ method, credentialsInBody }) => method === 'POST' && credentialsInBody);
  const login = doors.findLast((one) => ['email', 'password', 'cookie'].every((name) => takes(one).includes(name)));
  const logout = doors.findLast(
    ({ operation: { parameters, responses } }) =>
      '204' in responses && parameters.some((one) => one.in === 'cookie' && one.name === refreshCookie),
  );
  return login && logout && { login: login.path, logout: logout.path };
}

/** The bar itself; `sessionScript` brings it to life. */
export function sessionBar({ login, logout, people }: SessionBar): string {
  const buttons = people.map(
    ({ name, role, email, password }) =>
      `<button type="button" data-email="${escapeHtml(email)}" data-password="${escapeHtml(password)}" aria-pressed="false">${escapeHtml(`${name} (${role})`)}</button>`,
  );
  const isDemo = buttons.length > 0;
  return `<div class="session" role="group" aria-label="Session" data-login="${escapeHtml(login)}" data-logout="${escapeHtml(logout)}">
<output></output>
${isDemo ? `<span class="people">${buttons.join('')}</span>` : ''}
<form${isDemo ? ' hidden' : ''}><input type="email" name="email" required autocomplete="username" placeholder="E-mail address" aria-label="E-mail address"><input type="password" name="password" required autocomplete="current-password" placeholder="Password" aria-label="Password"><button>Log in</button></form>
<button type="button" class="leave" hidden>Log out</button>
</div>`;
}

/**
 * By cookie, so that nothing is kept that a script could read, and all that the page sends from then on is sent by who has logged
 * in, a WebSocket included. The opaque flow: its cookie lives as long as the session, and nothing has to be renewed.
 * What is on the page was asked for by whoever it was before: it is loaded anew.
 */
export const sessionScript = `(async () => {
  const bar = document.querySelector('.session');
  const [form, leave, said] = ['form', '.leave', 'output'].map((name) => bar.querySelector(name));
  const people = [...bar.querySelectorAll('[data-email]')];

  async function send(path, body) {
    const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(path, { method: 'POST', ...json });
    const text = await answer.text();
    if (!answer.ok) throw new Error(JSON.parse(text).detail);
  }
  async function change(act) {
    try {
      await act();
      location.reload();
    } catch (error) {
      said.textContent = error.message;
      form.hidden = false;
    }
  }
  const answer = await fetch('${SESSION_PATH}');
  const person = answer.ok ? await answer.json() : null;
  const logout = () => send(bar.dataset.logout);
  const login = (email, password) => change(async () => {
    // Of two sessions the browser would remember one.
    if (person) await logout();
    await send(bar.dataset.login, { email, password, flow: 'opaque', cookie: true });
  });

  for (const one of people) {
    one.setAttribute('aria-pressed', String(one.dataset.email === person?.email));
    one.addEventListener('click', () => login(one.dataset.email, one.dataset.password));
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { email, password } = Object.fromEntries(new FormData(form));
    login(email, password);
  });
  leave.addEventListener('click', () => change(logout));
  const isOffered = people.some((one) => one.dataset.email === person?.email);
  const name = person && !isOffered ? ' ' + person.name + ' (' + person.role + ')' : '';
  said.textContent = person ? 'Logged in as' + name : people.length > 0 ? 'Log in as' : '';
  leave.hidden = !person;
  if (person) form.hidden = true;
})();
`;

export const sessionStyle = `.session { margin-left: auto; flex: none; display: flex; align-items: center; gap: 8px; font-size: 13px; }
.session[role] :is(form, .people) { display: flex; align-items: center; gap: 6px; }
.session [hidden] { display: none !important; }
.session :is(button, input) { font: inherit; color: inherit; box-sizing: border-box; height: 26px; padding: 0 8px; border-radius: 6px;
  background: transparent; border: 1px solid color-mix(in srgb, currentColor 30%, transparent); }
.session input { width: 11rem; }
.session button { cursor: pointer; }
.session button:hover { background: color-mix(in srgb, currentColor 10%, transparent); }
.session button[aria-pressed="true"] { font-weight: 600; border-color: currentColor; background: color-mix(in srgb, currentColor 10%, transparent); }
`;
