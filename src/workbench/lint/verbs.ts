/** What an operationId may begin with: SDKs turn it into a method, and a method says what it does. */
export const VERBS = new Set(
  `accept acknowledge activate add apply approve archive assign attach authenticate authorize begin block book borrow build
  calculate cancel capture change check claim clear clone close collect commit compare complete compute configure confirm
  connect convert copy count create deactivate decline delete deliver deny deploy describe detach detect disable disconnect
  dismiss download duplicate edit enable end enroll enter estimate evaluate exchange execute exit expire export extend
  extract fetch filter find finish follow forget fork generate get give grant handle head hide identify import include
  increment initialize initiate insert inspect install invalidate invite invoke issue join keep kick launch leave lend like link
  list load lock login logout lookup make mark match measure merge migrate modify monitor move mute notify offer open order
  parse patch pause pay perform pin ping place play poll post preview print process promote provision publish purchase purge
  push put query read rebuild receive record redeem redirect refresh refund refuse register reindex reissue reject release
  reload remind remove rename render renew reopen reorder repeat replace reply report request require reschedule resend
  reserve reset resize resolve restart restore resume retire retrieve retry return reverse revert review revoke rotate run
  save schedule search select send set settle share show sign simulate sort split start stop store stream submit subscribe
  suggest suspend swap switch sync synchronize tag terminate test toggle track transfer transform translate trigger
  unarchive unassign unblock undo unfollow uninstall unlike unlink unlock unmute unpin unpublish unregister unsubscribe
  untag update upgrade upload upsert use validate verify view void vote watch withdraw write`.split(/\s+/),
);
