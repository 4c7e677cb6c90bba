// Logs in with a cookie, so no script can read the token, and the WebSocket of the page is authenticated as well. The cookie of the
// opaque flow lasts as long as the session. A login or logout reloads the page, because its content belongs to the previous caller.
(async () => {
  const bar = document.querySelector('.session');
  const [form, leave, status] = ['form', '.leave', 'output'].map((name) => bar.querySelector(name));
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
      status.textContent = error.message;
      form.hidden = false;
    }
  }
  const answer = await fetch('/docs/session');
  const person = answer.ok ? await answer.json() : null;
  const logout = () => send(bar.dataset.logout);
  const login = (email, password) =>
    change(async () => {
      // The browser remembers the cookie of one session only.
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
  const name = person && !isOffered ? ` ${person.name} (${person.role})` : '';
  status.textContent = person ? `Logged in as${name}` : people.length > 0 ? 'Log in as' : '';
  leave.hidden = !person;
  if (person) form.hidden = true;
})();
