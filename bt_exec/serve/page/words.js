// The words of the page in both languages.
export const WORDS = {
  en: {
    jump: "Skip to the command", language: "Language", what: "What to do", hint: "What shall the robot do?", send: "Send",
    asks: "May this plan run?", yes: "Yes, run it", no: "No", idle: "Nothing is running", waiting: "Waiting", past: "Past missions",
    failed: "only those that failed", close: "Close", why: "Why it ended so", tree: "What is done", login: "Log in",
    token: "The token of this service", enter: "Log in", try: "Try one of these:", stop: "Stop", stopNow: "Stop the robot now",
    on: "connected", off: "not connected; trying again", plan: "plan", tick: "tick", sees: "sees", old: "s old", planning: "planning with",
    goals: "{done} of {all} subgoals", ahead: "It waits; {n} before it.", withdraw: "Withdraw", none: "No mission yet", camera: "camera of {pack}",
    held: "Stopped. What waits begins when you say so.", goOn: "Go on", inspect: "Look at the robot before it moves again: {why}.", inspected: "I have looked at it: go on", gone: "The service does not answer.", started: "Started: {command}", nothingNew: "sees nothing new", prepared: "The robots are not ready.",
    map: "Map", suggest: "You can say, for example:", hold: "Hold the queue", up: "Earlier", again: "Run again", export: "Save as", at: "Time",
    speak: "Speak", aloud: "read aloud", more: "Older missions", search: "Search", robot: "robot", things: "{n} objects", sites: "Robots",
    s: { running: "running", done: "done", failed: "failed", skipped: "skipped", kept: "kept", stopped: "stopped", unmet: "no", waiting: "waiting",
      satisfied: "done", partial: "done in part", blocked: "blocked", refused: "refused", aborted: "stopped", interrupted: "interrupted" },
  },
  ko: {
    jump: "명령 입력으로 건너뛰기", language: "언어", what: "할 일", hint: "로봇에게 무엇을 시킬까요?", send: "보내기",
    asks: "이 계획을 실행할까요?", yes: "예, 실행합니다", no: "아니요", idle: "진행 중인 임무가 없습니다", waiting: "대기 중", past: "지난 임무",
    failed: "실패한 임무만", close: "닫기", why: "그렇게 끝난 까닭", tree: "한 일", login: "로그인",
    token: "이 서비스의 토큰", enter: "로그인", try: "이렇게 말해 보세요:", stop: "멈추기", stopNow: "로봇 즉시 멈추기",
    on: "연결됨", off: "연결이 끊겨 다시 시도합니다", plan: "계획", tick: "틱", sees: "관찰", old: "초 전", planning: "계획 중:",
    goals: "하위 목표 {all}개 중 {done}개", ahead: "대기합니다. 앞에 {n}건이 있습니다.", withdraw: "취소", none: "아직 임무가 없습니다", camera: "{pack} 카메라",
    held: "멈췄습니다. 대기 중인 임무는 계속을 눌러야 시작합니다.", goOn: "계속", inspect: "다시 움직이기 전에 로봇을 점검하십시오: {why}.", inspected: "점검했습니다: 계속", gone: "서비스가 응답하지 않습니다.", started: "시작: {command}", nothingNew: "새로 보이는 것이 없음", prepared: "로봇이 준비되지 않았습니다.",
    map: "지도", suggest: "이렇게 말해 보세요:", hold: "대기열 붙잡기", up: "앞으로", again: "다시 실행", export: "저장", at: "시각",
    speak: "말하기", aloud: "소리 내어 읽기", more: "이전 임무", search: "찾기", robot: "로봇", things: "물건 {n}개", sites: "로봇",
    s: { running: "진행 중", done: "마침", failed: "실패", skipped: "건너뜀", kept: "유지", stopped: "멈춤", unmet: "아님", waiting: "대기",
      satisfied: "완료", partial: "일부 완료", blocked: "막힘", refused: "거절", aborted: "멈춤", interrupted: "중단됨" },
  },
};
